package io.delayqueue.web.api;

import io.delayqueue.web.waiting.Http2Client;
import java.net.http.HttpClient;
import java.util.Map;

/** A client that waits for a message, and that can disconnect at any time. */
@FunctionalInterface
interface WaitingClient extends AutoCloseable {

    /** Disconnects without reading the response. */
    @Override
    void close();

    /**
     * Sends a request to receive from a topic.
     *
     * @param resets whether the client resets its connection, or its stream over HTTP/2, instead of closing the connection
     * @param json the request without its topic
     */
    static WaitingClient open(HttpClient.Version version, int port, String topic, boolean resets, String json) {
        String path = ApiNode.BASE + "/receive";
        String body = ApiNode.receiving(topic, json);
        if (version == HttpClient.Version.HTTP_2) {
            Http2Client client = new Http2Client(port);
            client.post(
                    path, Map.of("authorization", "Bearer " + ApiNode.TOKEN, "content-type", "application/json"), body);
            return resets ? client::reset : client::close;
        }
        RawClient client = new RawClient(port);
        client.write("POST " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ApiNode.TOKEN
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        return resets ? client::reset : client::close;
    }
}
