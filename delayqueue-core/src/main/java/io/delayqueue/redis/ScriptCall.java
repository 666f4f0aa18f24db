package io.delayqueue.redis;

import io.delayqueue.message.Durability;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A call of a Lua script, with its keys and arguments. A {@link ScriptRunner} may send it several times, so that it must
 * not be changed once it is passed to the runner. The arrays are neither copied nor changed. Not thread-safe.
 */
public final class ScriptCall {

    private final LuaScript script;
    private final List<byte[]> keys;
    private final List<byte[]> arguments;
    private Durability durability = Durability.NONE;
    private boolean repeatable = true;

    /** Creates a call without arguments. */
    public ScriptCall(LuaScript script, byte[]... keys) {
        this(script, List.of(keys));
    }

    /** Creates a call without arguments. */
    public ScriptCall(LuaScript script, List<byte[]> keys) {
        this(script, keys, new ArrayList<>());
    }

    private ScriptCall(LuaScript script, List<byte[]> keys, List<byte[]> arguments) {
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
    }

    /** The same call of another script; this call if it is the same script. */
    ScriptCall of(LuaScript other) {
        if (other == script) {
            return this;
        }
        ScriptCall call = new ScriptCall(other, keys, arguments);
        call.durability = durability;
        call.repeatable = repeatable;
        return call;
    }

    /** Adds an argument. */
    public ScriptCall add(byte[] argument) {
        arguments.add(argument);
        return this;
    }

    /** Adds an argument in UTF-8. */
    public ScriptCall add(String argument) {
        return add(argument.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds an argument in decimal digits. */
    public ScriptCall add(long argument) {
        return add(Long.toString(argument));
    }

    /** Sets the confirmation that the call waits for; {@link Durability#NONE} by default. */
    public ScriptCall durability(Durability durability) {
        this.durability = durability;
        return this;
    }

    /**
     * Declares that a repeat of the call has another result. If the client library sends it again because the connection
     * broke, the outcome of the call is unknown even if Redis replies.
     */
    public ScriptCall notRepeatable() {
        repeatable = false;
        return this;
    }

    boolean isRepeatable() {
        return repeatable;
    }

    /** The confirmation that the call waits for. */
    public Durability durability() {
        return durability;
    }

    /** The script. */
    public LuaScript script() {
        return script;
    }

    /** The keys. */
    public List<byte[]> keys() {
        return keys;
    }

    /** The arguments. */
    public List<byte[]> arguments() {
        return arguments;
    }

    /** Size of the arguments in bytes. */
    long bytes() {
        long bytes = 0;
        for (byte[] argument : arguments) {
            bytes += argument.length;
        }
        return bytes;
    }

    /** The script's text for {@code EVAL}. */
    byte[] text() {
        return script.text().getBytes(StandardCharsets.UTF_8);
    }

    /** The command {@code EVALSHA}, or {@code EVAL} with the script's text, and its arguments. */
    List<byte[]> command(boolean withText) {
        List<byte[]> command = new ArrayList<>(3 + keys.size() + arguments.size());
        command.add((withText ? "EVAL" : "EVALSHA").getBytes(StandardCharsets.UTF_8));
        command.add(withText ? text() : script.sha1().getBytes(StandardCharsets.UTF_8));
        command.add(Integer.toString(keys.size()).getBytes(StandardCharsets.UTF_8));
        command.addAll(keys);
        command.addAll(arguments);
        return command;
    }

    /** The hash slot of the first key, which selects the server in a Cluster; 0 if there are no keys. */
    int slot() {
        return keys.isEmpty() ? 0 : KeySpace.slot(keys.get(0));
    }

    @Override
    public String toString() {
        return "script " + script.name();
    }
}
