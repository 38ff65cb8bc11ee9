@_cdecl("face_show")
public func show(number: Int32) -> Int32 { number &+ 1 }
