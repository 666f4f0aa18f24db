package io.delayqueue.compatibility;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An authority, a certificate of it for this machine, and one of it for another host. Made once a day, because keytool takes
 * seconds; valid for two.
 *
 * @param directory contains {@code authority.pem}, and {@code NAME.pem} and {@code NAME.key} of each certificate
 */
record Certificates(Path directory) {

    static final String SERVER = "server";
    static final String OTHER_HOST = "other-host";

    private static final String PASSWORD = "changeit";

    private static final long DAY_SECONDS = 86_400;

    private static final class Made {
        static final Certificates ONCE = make();
    }

    static Certificates get() {
        return Made.ONCE;
    }

    Path authority() {
        return directory.resolve("authority.pem");
    }

    Path certificate(String name) {
        return directory.resolve(name + ".pem");
    }

    Path key(String name) {
        return directory.resolve(name + ".key");
    }

    private static Certificates make() {
        try {
            Path today = Path.of("target", "certificates-" + Instant.now().getEpochSecond() / DAY_SECONDS);
            if (!Files.exists(today)) {
                Path made = Files.createTempDirectory(Path.of("target"), "certificates-");
                generateAll(made);
                try {
                    Files.move(made, today, StandardCopyOption.ATOMIC_MOVE);
                } catch (FileSystemException e) {
                    // Another test JVM was faster.
                }
            }
            return new Certificates(today.toAbsolutePath());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void generateAll(Path directory) throws IOException, GeneralSecurityException {
        Path store = directory.resolve("all.p12");
        generate(store, "authority", "CN=Test authority", "-ext", "bc:c");
        generate(store, SERVER, "CN=redis", "-signer", "authority", "-ext", "san=dns:localhost,ip:127.0.0.1");
        generate(store, OTHER_HOST, "CN=other", "-signer", "authority", "-ext", "san=dns:other.example");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        for (String name : List.of("authority", SERVER, OTHER_HOST)) {
            Key key = keys.getKey(name, PASSWORD.toCharArray());
            write(
                    directory.resolve(name + ".pem"),
                    "CERTIFICATE",
                    keys.getCertificate(name).getEncoded());
            write(directory.resolve(name + ".key"), "PRIVATE KEY", key.getEncoded());
        }
    }

    private static void generate(Path store, String alias, String subject, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-dname",
                subject,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException("keytool: " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void write(Path file, String type, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
    }
}
