package io.delayqueue.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Supplier;
import org.springframework.util.function.SingletonSupplier;

/**
 * A Lua script from a resource in the package of the class that runs it. A line {@code --@include name} is replaced by
 * the file {@code name.lua} of the same folder. The files are read when the script is first used. Thread-safe.
 */
public final class LuaScript {

    private static final String INCLUDE = "--@include ";

    private final String name;
    private final Supplier<Content> content;

    /** The complete text, and its digest. */
    private record Content(String text, String sha1) {}

    private LuaScript(String name, Supplier<String> text) {
        this.name = name;
        this.content = SingletonSupplier.of(() -> {
            String whole = text.get();
            return new Content(whole, sha1(whole));
        });
    }

    /** Creates a script from its complete text. */
    public static LuaScript of(String name, String text) {
        return new LuaScript(name, () -> text);
    }

    /**
     * Creates a script from a file. Its use throws an {@link IllegalStateException} if the file does not exist.
     *
     * @param owner a class of the script's package
     * @param name file name without extension
     */
    public static LuaScript beside(Class<?> owner, String name) {
        return new LuaScript(name, () -> withIncludes(owner, read(owner, name)));
    }

    /** The file name without extension. */
    public String name() {
        return name;
    }

    /** The complete text, with the included files. */
    public String text() {
        return content.get().text();
    }

    /** The SHA-1 digest of the text for {@code EVALSHA}, in lower-case hexadecimal. */
    public String sha1() {
        return content.get().sha1();
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
