package io.delayqueue.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** PostgreSQL of Debian's package. It refuses to run as root, so root runs it as another user. */
public final class PostgresServer extends DatabaseServer {

    private static final Path VERSIONS = Path.of("/usr/lib/postgresql");

    private final Path executables = executables()
            .orElseThrow(() -> new IllegalStateException(
                    "There is no PostgreSQL in " + VERSIONS + " (Debian: apt-get install postgresql)"));

    public PostgresServer() {
        super("postgresql");
    }

    public static boolean isInstalled() {
        return executables().isPresent();
    }

    private static Optional<Path> executables() {
        if (!Files.isDirectory(VERSIONS)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(VERSIONS)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin ->
                            Files.isExecutable(bin.resolve("initdb")) && Files.isExecutable(bin.resolve("postgres")))
                    .max(Comparator.naturalOrder());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    void prepare() {
        if (isRoot()) {
            try {
                Files.setOwner(directory(), owner());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        run(asUser(
                executables.resolve("initdb").toString(),
                "--pgdata=" + data(),
                "--username=" + user(),
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "--no-instructions"));
    }

    @Override
    List<String> command() {
        // SIGKILL loses nothing that the operating system has, so nothing has to be on the disk
        return asUser(
                executables.resolve("postgres").toString(),
                "-D",
                data().toString(),
                "-c",
                "fsync=off",
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "port=" + port(),
                "-c",
                "unix_socket_directories=");
    }

    private Path data() {
        return directory().resolve("data");
    }

    private List<String> asUser(String... command) {
        List<String> all = new ArrayList<>();
        if (isRoot()) {
            all.addAll(List.of("setpriv", "--reuid=" + owner().getName(), "--regid=nogroup", "--clear-groups", "--"));
        }
        all.addAll(List.of(command));
        return all;
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** The user of the package, if it is installed as usual. */
    private UserPrincipal owner() {
        try {
            return user("postgres");
        } catch (UserPrincipalNotFoundException e) {
            try {
                return user("nobody");
            } catch (IOException none) {
                throw new UncheckedIOException(none);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private UserPrincipal user(String name) throws IOException {
        return directory().getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name);
    }

    @Override
    public String platform() {
        return "postgresql";
    }

    @Override
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres?connectTimeout=2&socketTimeout=20";
    }

    @Override
    public String user() {
        return "delayqueue";
    }
}
