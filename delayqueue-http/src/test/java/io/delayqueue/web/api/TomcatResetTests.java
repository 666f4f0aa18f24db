package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.web.waiting.Http2Client;
import io.delayqueue.web.waiting.OpenRequests;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

@Tag("long")
@Tag("http")
class TomcatResetTests {

    /** Registers the error of a reset as Tomcat does, while the request thread returns from the application. */
    static class Resetting extends ApiApplication {

        final CountDownLatch reset = new CountDownLatch(1);

        @Bean
        WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> resettingValve() {
            return factory -> factory.addEngineValves(new ValveBase(true) {

                @Override
                public void invoke(Request request, Response response) throws IOException, ServletException {
                    getNext().invoke(request, response);
                    if (request.isAsyncStarted() && reset.getCount() > 0) {
                        request.getCoyoteRequest()
                                .setAttribute(RequestDispatcher.ERROR_EXCEPTION, new IOException("reset"));
                        request.getCoyoteRequest().action(ActionCode.DISPATCH_ERROR, null);
                        reset.countDown();
                    }
                }
            });
        }
    }

    @Test
    void resetWhileRequestBecomesAsynchronousEndsRequest() throws Exception {
        try (ApiNode node = ApiNode.start(Resetting.class, "server.http2.enabled=true");
                Http2Client client = new Http2Client(node.port())) {
            client.post(
                    ApiNode.BASE + "/receive",
                    Map.of("authorization", "Bearer " + ApiNode.TOKEN, "content-type", "application/json"),
                    ApiNode.receiving("reset", "{\"wait\": \"50s\"}"));
            assertThat(node.bean(Resetting.class).reset.await(20, TimeUnit.SECONDS))
                    .isTrue();
            OpenRequests.awaitNoneWaiting(node.context());
            OpenRequests.assertNone(node.context());
        }
    }
}
