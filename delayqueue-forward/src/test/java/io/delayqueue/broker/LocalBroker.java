package io.delayqueue.broker;

import io.delayqueue.testing.ServerProcess;
import java.nio.file.Path;

/** A broker in a process of its own on this machine. */
interface LocalBroker extends TestBroker {

    /** The last process that was started. */
    ServerProcess process();

    /** The directory of the broker's files, which is deleted at the end. */
    Path directory();

    @Override
    default void kill() {
        process().kill();
    }

    @Override
    default void pause() {
        process().pause();
    }

    @Override
    default void resume() {
        process().resume();
    }

    @Override
    default void close() {
        process().close();
        ServerProcess.delete(directory());
    }
}
