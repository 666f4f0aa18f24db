package io.delayqueue.benchmark.http;

/** A server with an HTTP interface on the loopback interface. */
public interface HttpServer extends AutoCloseable {

    /** Opens a connection to the server. */
    HttpConnection connect();

    @Override
    void close();
}
