package io.delayqueue.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** MariaDB of Debian's package. */
public final class MariaServer extends DatabaseServer {

    private static final Path SERVER = Path.of("/usr/sbin/mariadbd");

    public MariaServer() {
        super("mariadb");
    }

    public static boolean isInstalled() {
        return Files.isExecutable(SERVER);
    }

    @Override
    void prepare() {
        try {
            Files.createDirectory(data());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        createFiles();
    }

    @Override
    List<String> command() {
        return List.of(
                SERVER.toString(),
                "--no-defaults",
                "--skip-grant-tables", // so no system tables have to be created
                "--user=" + System.getProperty("user.name"),
                "--datadir=" + data(),
                "--bind-address=127.0.0.1",
                "--port=" + port(),
                "--socket=" + directory().resolve("socket"),
                "--pid-file=" + directory().resolve("pid"),
                // SIGKILL loses nothing that the operating system has
                "--innodb-flush-log-at-trx-commit=2");
    }

    private Path data() {
        return directory().resolve("data");
    }

    @Override
    public String platform() {
        return "mariadb";
    }

    @Override
    public String url() {
        return "jdbc:mariadb://127.0.0.1:" + port()
                + "/delayqueue?createDatabaseIfNotExist=true&connectTimeout=2000&socketTimeout=20000";
    }

    @Override
    public String user() {
        return "root";
    }
}
