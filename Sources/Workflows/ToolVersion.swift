/// As `--version` and the headers of order files state it.
package let toolVersion = "0.1.0"
