/// A program whose functions have names of many kinds.
package enum RustSource {
  package static let text = #"""
    use std::{collections::HashMap, fmt};
    pub struct Foo<T>(pub T);
    pub trait Tr { fn m(&self) -> u32; }
    impl<T: fmt::Debug> Tr for Foo<T> {
      #[inline(never)] fn m(&self) -> u32 { format!("{:?}", self.0).len() as u32 }
    }
    impl fmt::Display for Foo<&'static str> {
      #[inline(never)]
      fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.0) }
    }
    #[inline(never)]
    fn arr<const N: usize>(x: [u8; N]) -> usize { x.iter().map(|a| *a as usize).sum::<usize>() + N }
    #[inline(never)]
    fn values<const C: char, const B: bool, const I: i32>(n: u32) -> u32 {
      n + C as u32 + B as u32 + I as u32
    }
    #[inline(never)]
    fn types<T>(t: T, f: &dyn Fn(&T) -> u32) -> u32 { f(&t) }
    #[inline(never)]
    fn größe(n: u32) -> u32 { n + 1 }
    #[inline(never)]
    fn outer(n: u32) -> u32 {
      #[inline(never)] fn inner(x: u32) -> u32 { x * 7 }
      inner(n) + 1
    }
    extern "C" fn hook(_: i32) {}
    fn main() {
      let n = std::env::args().count() as u32;
      let mut map: HashMap<String, Vec<Option<&'static str>>> = HashMap::new();
      map.insert("a".into(), vec![Some("b")]);
      let t = (1u8, [1i32; 4], "x", &n as *const u32, hook as extern "C" fn(i32), 'c', 1.5f64, (3u16,));
      let boxed: Box<dyn Iterator<Item = u32> + Send> = Box::new(0..n);
      let f: for<'a> fn(&'a u8) -> &'a u8 = |x| x;
      println!("{}", Foo(3u8).m() + Foo(map).m() + arr([1, 2, 3]) as u32
        + values::<'x', true, -5>(n) + values::<'y', false, 7>(n) + types(t, &|_| 1)
        + types(boxed, &|b| b.size_hint().0 as u32) + types(f, &|g| *g(&3) as u32)
        + größe(n) + outer(n) + Foo("q").to_string().len() as u32);
    }
    """#
}
