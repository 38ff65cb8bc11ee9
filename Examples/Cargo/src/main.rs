//! Counts words. The functions are in a good order for a reader; a launch runs them in another order.

mod report;
mod text;

fn usage() -> ! {
    eprintln!("usage: words TEXT...");
    std::process::exit(64)
}

#[inline(never)]
fn arguments() -> Vec<String> {
    std::env::args().skip(1).collect()
}

fn main() {
    let arguments = arguments();
    if arguments.is_empty() {
        usage()
    }
    let counts = text::count(&arguments.join(" "));
    report::print(&counts);
}
