"""Writes the tables that fold.py computed as a profile, in the format of docs/how-it-works/PROFILE-FORMAT.md."""

import itertools
import os

ENDS = ["exit", "stopped by call", "stopped by mark", "stopped by time", "stopped by function", "stopped when ready"]
LARGEST, MOST_LAUNCHES = (1 << 64) - 1, 1 << 48
CODE, DATA = "code ", "data "  # before the key of an image: its functions are numbered before all data


def profile(rows):
    """Returns the bytes of the profile. `rows` has the rows of each of fold.py's tables.

    Raises ValueError if the launches are of several machines, if there are too many launches, if nothing was recorded,
    and if no row describes a used function.
    """
    launches, images, functions, blocks, whole = map(
        sorted, (rows.launches, rows.images, rows.functions, rows.blocks, rows.whole)
    )
    counts = [sum(column) for column in zip(*launches)][1:]
    names = {(row.key, row.address): row for row in rows.names}
    machines = {machine for image in images for machine in image.machines} - {0}
    if len(machines) > 1:
        raise ValueError(f"machine mismatch: expected launches on one machine, found {sorted(machines)}")
    if not functions:
        raise ValueError("nothing was recorded")
    if counts[0] > MOST_LAUNCHES:
        raise ValueError(f"too many launches: expected at most {MOST_LAUNCHES} with their weights")
    if any((row.key, row.address) not in names for row in functions):
        raise ValueError("invalid table: rows were left out, which describe functions of others")
    out = bytearray(b"\x89OFPROF\n" + (3).to_bytes(4, "little"))

    def put(*numbers):
        for number in numbers:
            number = min(int(number), LARGEST)
            while number >= 0x80:
                out.append(number & 0x7F | 0x80)
                number >>= 7
            out.append(number)

    def put_difference(old, new):
        put(2 * (new - old) if new >= old else 2 * (old - new) + 1)

    def put_histogram(buckets):
        put(len(buckets))
        for (last, _), (bucket, count) in zip([(0, 0), *buckets], buckets):
            put(bucket - last, count)

    put(*counts)
    put_histogram([row[:2] for row in launches])
    texts = sorted(
        {image.path.encode() for image in images}
        | {bytes(row.file) for row in rows.names if row.file is not None}
        | {bytes(name) for row in rows.names for name in row.names}
    )
    number = {text: place for place, text in enumerate(texts)}
    put(len(texts))
    for last, text in zip([b"", *texts], texts):
        shared = min(len(os.path.commonprefix([last, text])), (8 * len(text) + 8) // 9)
        put(shared, len(text) - shared)
        out.extend(text[shared:])
    put(len(images))
    for image in images:
        kind, size, *rest = bytes.fromhex(image.key)
        put(number[image.path.encode()], kind, size)
        out.extend(rest[:size])
        put(
            image.machine,
            image.methods,
            image.launches,
            image.programs,
            image.touches,
            *image.text,
            image.guards,
            image.blocks,
            image.runs,
            image.unnamed,
        )
    ran = {place: list(rows) for place, rows in itertools.groupby(blocks, lambda row: (row.key, row.address))}
    for key in [CODE + image.key for image in images] + [DATA + image.key for image in images]:
        own = [function for function in functions if function.key == key]
        put(len(own))
        last, name = 0, 0
        for f in own:
            known = names[f.key, f.address]
            put(f.address - last, known.size or 0, len(known.names))
            last = f.address
            for text in known.names:
                put_difference(name, number[bytes(text)])
                name = number[bytes(text)]
            put(
                0 if known.file is None else number[bytes(known.file)] + 1,
                f.launches,
                0 if f.time is None else f.time + 1,
            )
            put_histogram(f.histogram)
            own_blocks, start = ran.get((f.key, f.address), []), 0
            put(len(own_blocks))
            for block in own_blocks:
                put(block.offset - start, block["size"], block.launches)
                start = block.offset
    place = {(f.key, f.address): index for index, f in enumerate(functions)}
    rank = {key: {(row.offset, row["size"]): index for index, row in enumerate(rows)} for key, rows in ran.items()}
    put(len(whole))
    for launch in whole:
        uses = [
            ((CODE + image.key, address), blocks)
            for image in launch.images
            for address, blocks in itertools.zip_longest(image.code, image.blocks, fillvalue=())
        ]
        uses += [((DATA + image.key, address), ()) for image in launch.images for address in image.data]
        has_blocks = any(blocks for _, blocks in uses)
        out.extend(int(launch.hash, 16).to_bytes(8, "little"))
        put(launch.weight, len(uses), has_blocks)
        last = 0
        for function, blocks in uses:
            put_difference(last, place[function])
            last = place[function]
            if has_blocks:
                put(len(blocks), *(rank[function][block.offset, block["size"]] for block in blocks))
    put(len(rows.workloads))
    for workload in rows.workloads:
        put(len(workload.launch.encode()))
        out.extend(workload.launch.encode() + int(workload.commandLine, 16).to_bytes(8, "little"))
        put(workload.inputs is not None)
        if workload.inputs is not None:
            out.extend(int(workload.inputs, 16).to_bytes(8, "little"))
    return bytes(out)
