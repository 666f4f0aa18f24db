package io.delayqueue.web.api;

import java.net.http.HttpClient;

class JettyReceiveTests extends ReceiveContract {

    JettyReceiveTests() {
        super(HttpClient.Version.HTTP_1_1, "jetty", ApiNode.JETTY);
    }
}
