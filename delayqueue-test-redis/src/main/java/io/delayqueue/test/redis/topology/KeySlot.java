package io.delayqueue.test.redis.topology;

/**
 * The slot of a key in a Redis Cluster: CRC 16 (XMODEM) of the key, or of the text in its first braces if that is not
 * empty.
 */
final class KeySlot {

    static final int COUNT = 16_384;

    private static final int POLYNOMIAL = 0x1021;

    private KeySlot() {}

    static int of(byte[] key) {
        int open = indexOf(key, '{', 0);
        int close = open < 0 ? -1 : indexOf(key, '}', open + 1);
        boolean tagged = close > open + 1;
        return crc16(key, tagged ? open + 1 : 0, tagged ? close : key.length) % COUNT;
    }

    private static int indexOf(byte[] key, char wanted, int from) {
        for (int i = from; i < key.length; i++) {
            if (key[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static int crc16(byte[] key, int from, int to) {
        int crc = 0;
        for (int i = from; i < to; i++) {
            crc ^= (key[i] & 0xFF) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
            }
            crc &= 0xFFFF;
        }
        return crc;
    }
}
