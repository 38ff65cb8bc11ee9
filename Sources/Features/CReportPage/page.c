#include "creportpage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"  // C11 has no #embed; all compilers of packages have it

// Each text ends with a zero byte. C embeds files in milliseconds; Swift's compiler takes ten seconds for an array of
// bytes.

static const char template[] = {
#embed "Page/page.html"
    , 0};

static const char style[] = {
#embed "Page/page.css"
    , 0};

static const char unpack[] = {
#embed "Page/unpack.js"
    , 0};

// The order matters: a script uses only scripts before it.
static const char scripts[] = {
#embed "Page/data.js" suffix(, '\n', )
#embed "Page/elements.js" suffix(, '\n', )
#embed "Page/tables.js" suffix(, '\n', )
#embed "Page/state.js" suffix(, '\n', )
#embed "Page/layout.js" suffix(, '\n', )
#embed "Page/check.js" suffix(, '\n', )
#embed "Page/faults.js" suffix(, '\n', )
#embed "Page/report.js" suffix(, '\n', )
#embed "Page/pages.js" suffix(, '\n', )
#embed "Page/cells.js" suffix(, '\n', )
#embed "Page/shapes.js" suffix(, '\n', )
#embed "Page/strip.js" suffix(, '\n', )
#embed "Page/map.js" suffix(, '\n', )
#embed "Page/drawer.js" suffix(, '\n', )
#embed "Page/axes.js" suffix(, '\n', )
#embed "Page/curve.js" suffix(, '\n', )
#embed "Page/timeline.js" suffix(, '\n', )
#embed "Page/stages.js" suffix(, '\n', )
#embed "Page/nearlyempty.js" suffix(, '\n', )
#embed "Page/bytes.js" suffix(, '\n', )
#embed "Page/order.js" suffix(, '\n', )
#embed "Page/builds.js" suffix(, '\n', )
#embed "Page/limits.js" suffix(, '\n', )
#embed "Page/launches.js" suffix(, '\n', )
#embed "Page/history.js" suffix(, '\n', )
#embed "Page/overview.js" suffix(, '\n', )
#embed "Page/figures.js" suffix(, '\n', )
#embed "Page/nextsteps.js" suffix(, '\n', )
#embed "Page/verdict.js" suffix(, '\n', )
#embed "Page/method.js" suffix(, '\n', )
#embed "Page/search.js" suffix(, '\n', )
#embed "Page/live.js" suffix(, '\n', )
#embed "Page/start.js" suffix(, '\n', )
    0};

const char *orderfile_page_template(void) { return template; }
const char *orderfile_page_style(void) { return style; }
const char *orderfile_page_unpack(void) { return unpack; }
const char *orderfile_page_scripts(void) { return scripts; }
