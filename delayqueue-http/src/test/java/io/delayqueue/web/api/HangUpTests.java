package io.delayqueue.web.api;

import java.net.http.HttpClient;
import org.junit.jupiter.api.Nested;

class HangUpTests {

    @Nested
    class OnTomcat extends HangUpContract {

        OnTomcat() {
            super(HttpClient.Version.HTTP_1_1);
        }
    }

    @Nested
    class OnJetty extends HangUpContract {

        OnJetty() {
            super(HttpClient.Version.HTTP_1_1, ApiNode.JETTY);
        }
    }

    @Nested
    class OnTomcatHttp2 extends HangUpContract {

        OnTomcatHttp2() {
            super(HttpClient.Version.HTTP_2, "server.http2.enabled=true");
        }
    }

    @Nested
    class OnJettyHttp2 extends HangUpContract {

        OnJettyHttp2() {
            super(HttpClient.Version.HTTP_2, ApiNode.JETTY, "server.http2.enabled=true");
        }
    }
}
