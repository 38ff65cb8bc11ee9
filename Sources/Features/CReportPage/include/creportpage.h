#ifndef ORDERFILE_CREPORTPAGE_H
#define ORDERFILE_CREPORTPAGE_H

// The files of a report's page, each a text in UTF-8 that ends with a zero byte and lasts as long as the process. Any
// thread.

// HTML with a `{{name}}` for each of the other texts, and for the title and the data.
const char *orderfile_page_template(void);
// The style sheet.
const char *orderfile_page_style(void);
// The script that inflates the page's other scripts.
const char *orderfile_page_unpack(void);
// All scripts of the page except the first one, as one text.
const char *orderfile_page_scripts(void);

#endif
