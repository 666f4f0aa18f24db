package io.delayqueue.sample.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.Shop;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class PageTests {

    private static final Pattern ASSET = Pattern.compile("(?:href|src)=\"([^\"#:]+)\"");

    @Autowired
    private Shop shop;

    @Test
    void pageAndItsFilesAreServed() {
        String page = text("/");
        List<String> assets =
                ASSET.matcher(page).results().map(result -> result.group(1)).toList();

        assertThat(page).contains("<h1");
        assertThat(assets).contains("style.css", "app.js");
        assertThat(assets).allSatisfy(asset -> assertThat(text("/" + asset)).isNotEmpty());
    }

    @Test
    void pageLoadsNothingFromOtherServers() {
        assertThat(List.of(text("/"), text("/style.css"), text("/app.js")))
                .allSatisfy(text -> assertThat(text).doesNotContainPattern("(?:https?:)?//[a-z]"));
    }

    @Test
    void pageInsertsDataAsText() {
        assertThat(text("/app.js")).doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write");
    }

    @Test
    void pageStateContainsOrdersAndNotices() {
        String id = shop.paidOrder("<b>Teapot</b>");

        shop.get("/page/state")
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.now")
                .exists()
                .jsonPath("$.orders[0].order.item")
                .isEqualTo("<b>Teapot</b>")
                .jsonPath("$.orders[0].notice.orderId")
                .isEqualTo(id);
        assertThat(shop.journal(id)).startsWith("Ordered: <b>Teapot</b>.", "Paid.");
    }

    @Test
    void applicationIsHealthy() {
        shop.get("/actuator/health").expectStatus().isOk();
    }

    private String text(String address) {
        return shop.get(address)
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
    }
}
