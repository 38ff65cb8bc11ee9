"""Writes what fold.py computed as a profile: the format of docs/MERGE.md."""
import itertools, os

LARGEST = (1 << 64) - 1


def profile(counts, sizes, images, functions, blocks, kept, contents, workloads):
    """The bytes. Images, functions, blocks and whole launches are rows in the order of the file."""
    out = bytearray(b"\x89OFPROF\n" + (2 if workloads else 1).to_bytes(4, "little"))
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
        for (last, _), (bucket, count) in zip([(0, 0), *buckets], buckets): put(bucket - last, count)

    put(*counts)
    put_histogram(sizes)
    texts = sorted({image.path.encode() for image in images} | {bytes(f.file) for f in functions if f.file is not None}
                   | {bytes(name) for f in functions for name in f.names})
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
        put(image.machine, image.methods, image.launches, image.programs, *image.text, image.guards, image.blocks,
            image.runs, image.unnamed)
    ran = {place: list(rows) for place, rows in itertools.groupby(blocks, lambda row: (row.key, row.address))}
    for image in images:
        own = [function for function in functions if function.key == image.key]
        put(len(own))
        last, name = 0, 0
        for f in own:
            put(f.address - last, f.size or 0, len(f.names))
            last = f.address
            for text in f.names:
                put_difference(name, number[bytes(text)])
                name = number[bytes(text)]
            put(0 if f.file is None else number[bytes(f.file)] + 1, f.support, 0 if f.time is None else f.time + 1)
            put_histogram(f.histogram)
            own_blocks, start = ran.get((f.key, f.address), []), 0
            put(len(own_blocks))
            for block in own_blocks:
                put(block.offset - start, block["size"], block.support)
                start = block.offset
    place = {(f.key, f.address): index for index, f in enumerate(functions)}
    rank = {key: {(row.offset, row["size"]): index for index, row in enumerate(rows)} for key, rows in ran.items()}
    put(len(kept))
    for launch in kept:
        uses = [((part.key, use.address), use.blocks) for part in contents[launch.hash] for use in part.uses]
        has_blocks = any(blocks for _, blocks in uses)
        out.extend(int(launch.hash, 16).to_bytes(8, "little"))
        put(launch.weight, len(uses), has_blocks)
        last = 0
        for function, blocks in uses:
            put_difference(last, place[function])
            last = place[function]
            if has_blocks: put(len(blocks), *(rank[function][block.offset, block["size"]] for block in blocks))
    if workloads: put(len(workloads))
    for workload in workloads:
        put(len(workload.launch.encode()))
        out.extend(workload.launch.encode() + int(workload.commandLine, 16).to_bytes(8, "little"))
        put(workload.inputs is not None)
        if workload.inputs is not None: out.extend(int(workload.inputs, 16).to_bytes(8, "little"))
    return bytes(out)
