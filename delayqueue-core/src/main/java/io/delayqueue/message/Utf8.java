package io.delayqueue.message;

import io.delayqueue.Internal;

/** Measures texts in UTF-8 without encoding them. */
@Internal
public final class Utf8 {

    private static final int LAST_OF_ONE_BYTE = 0x7f;
    private static final int LAST_OF_TWO_BYTES = 0x7ff;

    private Utf8() {}

    /** Returns the length of a text in bytes, or -1 if it contains an unpaired surrogate, which has no encoding. */
    public static int length(String text) {
        int chars = text.length();
        int bytes = chars;
        for (int i = 0; i < chars; i++) {
            char c = text.charAt(i);
            if (c <= LAST_OF_ONE_BYTE) {
                continue;
            }
            if (c <= LAST_OF_TWO_BYTES) {
                bytes++;
            } else if (!Character.isSurrogate(c)) {
                bytes += 2;
            } else if (i + 1 < chars && Character.isSurrogatePair(c, text.charAt(i + 1))) {
                bytes += 2; // two chars, four bytes
                i++;
            } else {
                return -1;
            }
        }
        return bytes;
    }
}
