package io.delayqueue.redis;

/** CRC-16/XMODEM. Redis Cluster maps a hash tag to a slot with it (Redis Cluster specification, appendix A). */
final class Crc16 {

    private static final int POLYNOMIAL = 0x1021;

    private Crc16() {}

    static int of(byte[] bytes) {
        int crc = 0;
        for (byte b : bytes) {
            crc ^= (b & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
            }
        }
        return crc & 0xffff;
    }
}
