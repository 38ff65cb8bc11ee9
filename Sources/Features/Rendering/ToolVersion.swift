/// The version that `--version` and the headers of order files state.
package let toolVersion = "0.3.0"
