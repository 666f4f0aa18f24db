package io.delayqueue.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A script with its keys and arguments. The arrays are neither copied nor changed. */
final class ScriptCall {

    private final LuaScript script;
    private final int keyCount;
    private final byte[][] arguments;

    /** Creates a call. The first {@code keyCount} arguments are the keys. */
    ScriptCall(LuaScript script, int keyCount, byte[][] arguments) {
        this.script = script;
        this.keyCount = keyCount;
        this.arguments = arguments;
    }

    LuaScript script() {
        return script;
    }

    int keyCount() {
        return keyCount;
    }

    byte[][] arguments() {
        return arguments;
    }

    byte[] text() {
        return script.text().getBytes(StandardCharsets.UTF_8);
    }

    byte[][] keys() {
        return Arrays.copyOfRange(arguments, 0, keyCount);
    }

    byte[][] values() {
        return Arrays.copyOfRange(arguments, keyCount, arguments.length);
    }

    /** The hash slot of the first key, which selects the server in a Cluster; 0 if there are no keys. */
    int slot() {
        return keyCount == 0 ? 0 : KeySpace.slot(arguments[0]);
    }

    @Override
    public String toString() {
        return "script " + script.name();
    }
}
