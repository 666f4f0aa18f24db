package io.delayqueue.benchmark.floor;

import java.util.Arrays;

/**
 * The keys and arguments of a script call.
 *
 * @param messages the number of messages in the call
 * @param keyCount the number of keys
 * @param all the keys, followed by the arguments
 */
@SuppressWarnings("ArrayRecordComponent") // passed unchanged to the client library
public record RecordedCall(int messages, int keyCount, byte[][] all) {

    byte[][] keys() {
        return Arrays.copyOfRange(all, 0, keyCount);
    }

    byte[][] arguments() {
        return Arrays.copyOfRange(all, keyCount, all.length);
    }
}
