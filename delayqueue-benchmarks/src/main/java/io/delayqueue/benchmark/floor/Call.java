package io.delayqueue.benchmark.floor;

import java.util.Arrays;

/**
 * A script's keys and arguments.
 *
 * @param messages how many messages it is about
 * @param keyCount how many of the arguments are keys
 * @param all keys first
 */
@SuppressWarnings("ArrayRecordComponent") // handed straight to the client library
public record Call(int messages, int keyCount, byte[][] all) {

    byte[][] keys() {
        return Arrays.copyOfRange(all, 0, keyCount);
    }

    byte[][] arguments() {
        return Arrays.copyOfRange(all, keyCount, all.length);
    }
}
