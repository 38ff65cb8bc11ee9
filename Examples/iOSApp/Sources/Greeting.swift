// Swift that C calls. Compiled as Embedded Swift where there is no Mac; in Xcode it is ordinary Swift.

@inline(never) func words(_ count: Int32) -> Int32 { count == 1 ? 1 : 2 }

@inline(never) func farewell(_ count: Int32) -> Int32 { -words(count) }

@_cdecl("greeting") public func greeting(_ count: Int32) -> Int32 {
  count < 0 ? farewell(count) : 100 * words(count)
}
