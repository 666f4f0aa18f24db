package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.EndpointNode;
import io.delayqueue.actuate.EndpointNode.Reply;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.http.MediaType;

/** The page and its files on a management port, with paths that the application configures. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DashboardServingContract {

    static final String EXPOSED = "management.endpoints.web.exposure.include=delayqueue,delayqueuedashboard";
    private static final String PAGE = "/manage/ops/ui/the-queue";

    private final WebApplicationType stack;
    private EndpointNode node;

    DashboardServingContract(WebApplicationType stack) {
        this.stack = stack;
    }

    @BeforeAll
    void start() {
        node = EndpointNode.start(
                stack,
                "",
                EXPOSED,
                "management.server.base-path=/manage",
                "management.endpoints.web.base-path=/ops",
                "management.endpoints.web.path-mapping.delayqueue=data/queue",
                "management.endpoints.web.path-mapping.delayqueuedashboard=ui/the-queue",
                "management.endpoint.delayqueuedashboard.access=read-only");
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @Test
    void pageFindsItsDataAndItsParts() {
        String page = get(PAGE).text();

        Reply data = get(resolve(attribute(page, "<meta name=\"delayqueue-endpoint\" content=")));
        assertThat(data.status()).isEqualTo(200);
        assertThat(data.json().path("topics").isArray()).isTrue();
        Reply script = get(resolve(attribute(page, "<script type=\"module\" src=")));
        assertThat(script.text()).contains("import {");
        Reply style = get(resolve(attribute(page, "<link rel=\"stylesheet\" href=")));
        assertThat(style.text()).contains("body {");
    }

    @Test
    void eachFileHasItsContentType() {
        assertThat(type(get(PAGE))).isEqualTo("text/html");
        for (String name : DashboardFiles.PARTS) {
            Reply part = get(PAGE + "/" + name);
            assertThat(part.status()).as(name).isEqualTo(200);
            assertThat(part.text()).as(name).isNotBlank();
            assertThat(type(part))
                    .as(name)
                    .isEqualTo(
                            name.endsWith(".js")
                                    ? "text/javascript"
                                    : name.endsWith(".css") ? "text/css" : "image/svg+xml");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"index.html", "none.js", "app.js.map", "..%2fdashboard%2fapp.js", "DashboardFiles.class"})
    void otherFilesAreNotFound(String name) {
        assertThat(get(PAGE + "/" + name).status()).isIn(400, 404);
    }

    @Test
    void eachResponseHasSecurityHeaders() {
        for (String path : new String[] {PAGE, PAGE + "/app.js", PAGE + "/none.js"}) {
            Reply reply = get(path);
            assertThat(reply.header("Content-Security-Policy"))
                    .singleElement()
                    .asString()
                    .contains("default-src 'none'", "script-src 'self'")
                    .doesNotContain("unsafe");
            assertThat(reply.header("X-Content-Type-Options")).containsExactly("nosniff");
        }
    }

    @Test
    void pageRejectsOtherMethods() {
        Reply posted =
                node.with("Content-Type", "application/json").request("POST", PAGE, BodyPublishers.ofString("{}"));

        assertThat(posted.status()).isIn(404, 405);
    }

    private Reply get(String path) {
        return node.request("GET", path, BodyPublishers.noBody());
    }

    private static String resolve(String address) {
        return URI.create(PAGE).resolve(address).getPath();
    }

    static String attribute(String page, String begin) {
        Matcher matcher = Pattern.compile(Pattern.quote(begin) + "\"([^\"]*)\"").matcher(page);
        assertThat(matcher.find()).as(begin).isTrue();
        return matcher.group(1);
    }

    private static String type(Reply reply) {
        MediaType type = MediaType.parseMediaType(reply.header("Content-Type").get(0));
        return type.getType() + "/" + type.getSubtype();
    }
}
