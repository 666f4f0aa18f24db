package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;

/** Collects a script's keys and arguments. Not thread-safe. */
final class Arguments {

    private final List<byte[]> all;
    private int keys;

    Arguments(List<byte[]> keys) {
        this.all = new ArrayList<>(keys);
        this.keys = keys.size();
    }

    /** Adds a key. Keys are placed before the arguments, also if arguments were added already. */
    Arguments key(byte[] key) {
        all.add(keys++, key);
        return this;
    }

    Arguments add(byte[] value) {
        all.add(value);
        return this;
    }

    Arguments add(String value) {
        return add(value.getBytes(UTF_8));
    }

    Arguments add(long value) {
        return add(Long.toString(value));
    }

    int keyCount() {
        return keys;
    }

    byte[][] toArray() {
        return all.toArray(byte[][]::new);
    }
}
