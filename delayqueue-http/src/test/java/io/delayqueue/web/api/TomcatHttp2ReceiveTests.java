package io.delayqueue.web.api;

import java.net.http.HttpClient;

class TomcatHttp2ReceiveTests extends ReceiveContract {

    TomcatHttp2ReceiveTests() {
        super(HttpClient.Version.HTTP_2, "tomcat", "server.http2.enabled=true");
    }
}
