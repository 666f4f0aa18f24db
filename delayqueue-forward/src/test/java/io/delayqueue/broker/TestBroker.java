package io.delayqueue.broker;

import java.util.List;

/** A broker to which tests forward messages, and which they kill and pause. */
interface TestBroker extends AutoCloseable {

    /** A destination that does not exist. Sends to it fail. */
    String NOWHERE = "nowhere";

    /** The value of the property {@code to} of a forward. */
    String to();

    /** The properties by which an application connects to it. */
    List<String> properties();

    /** Starts the broker with the data of its last run, and waits until it accepts connections. */
    void start();

    /** Ends the broker as a crash would. */
    void kill();

    /** Makes the broker unresponsive. */
    void pause();

    /** Ends {@link #pause}. */
    void resume();

    /** Creates a destination. */
    void create(String destination);

    /** Receives and removes all messages of a destination. */
    List<Received> take(String destination);

    @Override
    void close();
}
