package io.delayqueue.web.api;

import java.net.http.HttpClient;

class TomcatReceiveTests extends ReceiveContract {

    TomcatReceiveTests() {
        super(HttpClient.Version.HTTP_1_1, "tomcat");
    }
}
