package io.delayqueue.jdbc.database;

import io.delayqueue.testing.TestDatabase;

/** H2 in this JVM's memory. */
public record H2Database(String name, boolean autoCommit) implements TestDatabase {

    public H2Database(String name) {
        this(name, true);
    }

    @Override
    public String platform() {
        return "h2";
    }

    @Override
    public String url() {
        return "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
    }

    @Override
    public String user() {
        return "sa";
    }
}
