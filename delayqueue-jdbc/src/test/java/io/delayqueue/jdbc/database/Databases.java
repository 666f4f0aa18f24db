package io.delayqueue.jdbc.database;

import io.delayqueue.testing.DatabaseServer;
import io.delayqueue.testing.MariaServer;
import io.delayqueue.testing.PostgresServer;
import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.support.AnnotationSupport;

/** The databases that all test classes of this JVM share. They end with it. */
public final class Databases {

    private static final class Postgres {
        static final PostgresServer SERVER = started(new PostgresServer());
    }

    private static final class Maria {
        static final MariaServer SERVER = started(new MariaServer());
    }

    private Databases() {}

    public static PostgresServer postgres() {
        return Postgres.SERVER;
    }

    public static MariaServer maria() {
        return Maria.SERVER;
    }

    /** The server that a test class requires; null if it requires none. */
    public static @Nullable DatabaseServer of(Class<?> test) {
        return AnnotationSupport.findAnnotation(test, RequiresDatabase.class)
                .<DatabaseServer>map(
                        required -> required.value() == RequiresDatabase.Kind.POSTGRESQL ? postgres() : maria())
                .orElse(null);
    }

    private static <T extends DatabaseServer> T started(T server) {
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        server.start();
        return server;
    }
}
