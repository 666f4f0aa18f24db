package io.delayqueue.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script from a resource in the package of the class that runs it. A line {@code --@include name} is replaced by
 * the file {@code name.lua} of the same folder.
 *
 * @param name file name without extension
 * @param text complete text, with the included files
 * @param sha1 SHA-1 digest of the text for {@code EVALSHA}, in lower-case hexadecimal
 */
public record LuaScript(String name, String text, String sha1) {

    private static final String INCLUDE = "--@include ";

    /**
     * Loads a script.
     *
     * @param owner a class of the script's package
     * @param name file name without extension
     * @throws IllegalStateException if the file does not exist
     */
    public static LuaScript beside(Class<?> owner, String name) {
        String text = withIncludes(owner, read(owner, name));
        return new LuaScript(name, text, sha1(text));
    }

    private static String withIncludes(Class<?> owner, String text) {
        StringBuilder whole = new StringBuilder();
        text.lines()
                .forEach(line -> whole.append(line.strip().startsWith(INCLUDE) ? included(owner, line.strip()) : line)
                        .append('\n'));
        return whole.toString();
    }

    private static String included(Class<?> owner, String line) {
        return read(owner, line.substring(INCLUDE.length()).strip());
    }

    private static String read(Class<?> owner, String name) {
        try (InputStream in = owner.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException(
                        "Script " + name + ".lua does not exist in the package of " + owner.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
