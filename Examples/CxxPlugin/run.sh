#!/bin/bash
# A C++ program with static constructors and a plugin that it opens with dlopen: two images, one trace,
# one order file for each.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../setup.sh"
cp "$here"/*.cpp "$here"/*.h .
mkdir default record ordered
cxx=(clang++ -std=c++17 -O1 -fPIC -ffunction-sections)
link=(clang++ -fuse-ld=lld -Wl,--build-id)

step "the build to ship"
run "${cxx[@]}" -c main.cpp plugin.cpp
run "${link[@]}" main.o -ldl -o default/app
run "${link[@]}" -shared plugin.o -o default/plugin.so

step "1. record: each image that is linked apart gets a recorder of its own; they join one trace"
coverage=-fsanitize-coverage=func,trace-pc-guard,pc-table
for name in main plugin; do run "${cxx[@]}" $coverage -c $name.cpp -o record/$name.o; done
run "${link[@]}" record/main.o "$ORDERFILE_RUNTIME" -ldl -o record/app
run "${link[@]}" -shared record/plugin.o "$ORDERFILE_RUNTIME" -o record/plugin.so
run "$ORDERFILE" record -o app.oftrace -- record/app record/plugin.so

step "2. order: one file for each image"
run "$ORDERFILE" gen app.oftrace --all-images --image default/app --image default/plugin.so -o orders

step "3. relink"
run "${link[@]}" -Wl,--symbol-ordering-file=orders/app.order main.o -ldl -o ordered/app
run "${link[@]}" -Wl,--symbol-ordering-file=orders/plugin.so.order -shared plugin.o -o ordered/plugin.so
for image in app plugin.so; do
  run "$ORDERFILE" diff default/$image ordered/$image --trace app.oftrace --order orders/$image.order
done

[[ $(ordered/app ordered/plugin.so) == "circle 12.5664" ]]
# The plugin's constructor, and the function that is found only by dlsym.
grep -q _GLOBAL__sub_I_plugin.cpp orders/plugin.so.order
grep -q make_shape orders/plugin.so.order
check_order default/app ordered/app app.oftrace orders/app.order
check_order default/plugin.so ordered/plugin.so app.oftrace orders/plugin.so.order
