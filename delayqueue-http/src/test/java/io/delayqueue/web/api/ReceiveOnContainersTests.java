package io.delayqueue.web.api;

import java.net.http.HttpClient;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

class ReceiveOnContainersTests {

    @Nested
    class OnTomcat extends ReceiveContract {

        OnTomcat() {
            super(HttpClient.Version.HTTP_1_1, "tomcat");
        }
    }

    @Nested
    @Tag("long")
    @Tag("http")
    class OnJetty extends ReceiveContract {

        OnJetty() {
            super(HttpClient.Version.HTTP_1_1, "jetty", ApiNode.JETTY);
        }
    }

    @Nested
    @Tag("long")
    @Tag("http")
    class OnTomcatHttp2 extends ReceiveContract {

        OnTomcatHttp2() {
            super(HttpClient.Version.HTTP_2, "tomcat", "server.http2.enabled=true");
        }
    }

    @Nested
    @Tag("long")
    @Tag("http")
    class OnJettyHttp2 extends ReceiveContract {

        OnJettyHttp2() {
            super(HttpClient.Version.HTTP_2, "jetty", ApiNode.JETTY, "server.http2.enabled=true");
        }
    }
}
