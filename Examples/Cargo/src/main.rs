//! Counts words. The functions stand in the order of a reader, not of a launch.

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
