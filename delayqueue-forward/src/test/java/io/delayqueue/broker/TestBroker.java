package io.delayqueue.broker;

import java.util.List;

/** A broker that tests forward to, and kill. */
interface TestBroker extends AutoCloseable {

    /** A destination that nothing can be sent to. */
    String NOWHERE = "nowhere";

    /** What forwards name it by. */
    String to();

    /** By which an application reaches it. */
    List<String> properties();

    /** Starts it, with what it had when it ended, and waits until it serves. */
    void start();

    /** Ends it as a power failure would end its process. */
    void kill();

    /** Has it hang. */
    void pause();

    /** Ends {@link #pause}. */
    void resume();

    /** Makes a destination. */
    void create(String destination);

    /** What a destination has, all of it and once. */
    List<Received> take(String destination);

    @Override
    void close();
}
