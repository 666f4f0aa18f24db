package io.delayqueue.web.api;

import java.net.http.HttpClient;

class JettyHttp2ReceiveTests extends ReceiveContract {

    JettyHttp2ReceiveTests() {
        super(HttpClient.Version.HTTP_2, "jetty", ApiNode.JETTY, "server.http2.enabled=true");
    }
}
