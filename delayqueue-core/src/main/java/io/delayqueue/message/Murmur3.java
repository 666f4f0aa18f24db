package io.delayqueue.message;

/**
 * MurmurHash3, x86 32-bit variant, seed 0. Every process, in any language, computes a message's shard with it, so it
 * must never change.
 */
final class Murmur3 {

    private static final int C1 = 0xcc9e2d51;
    private static final int C2 = 0x1b873593;

    private Murmur3() {}

    /** The hash as an unsigned 32-bit integer. */
    static int hash(byte[] bytes) {
        int hash = 0;
        int whole = bytes.length & ~3;
        for (int i = 0; i < whole; i += 4) {
            hash ^= scrambled(block(bytes, i, 4));
            hash = Integer.rotateLeft(hash, 13) * 5 + 0xe6546b64;
        }
        hash ^= scrambled(block(bytes, whole, bytes.length - whole));
        return finished(hash ^ bytes.length);
    }

    /** Little-endian. An empty block is zero and does not change the hash. */
    private static int block(byte[] bytes, int from, int length) {
        int block = 0;
        for (int i = length - 1; i >= 0; i--) {
            block = block << 8 | (bytes[from + i] & 0xff);
        }
        return block;
    }

    private static int scrambled(int block) {
        return Integer.rotateLeft(block * C1, 15) * C2;
    }

    private static int finished(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85ebca6b;
        mixed = (mixed ^ mixed >>> 13) * 0xc2b2ae35;
        return mixed ^ mixed >>> 16;
    }
}
