package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** The dashboard in a browser. Methods wait for the elements that they use. */
final class DashboardPage {

    private static final String BY_NAME = "return [...document.querySelectorAll(arguments[0])]"
            + ".find(each => (each.checkVisibility() || each.closest('.menu')) && (each.ariaLabel || each.textContent.trim()) === arguments[1])";

    private final Browser browser;
    private final String address;

    DashboardPage(Browser browser, int port) {
        this.browser = browser;
        this.address = "http://localhost:" + port + "/actuator/delayqueuedashboard";
    }

    /** Opens a view, and waits until it shows data. */
    DashboardPage open(String view) {
        browser.open(address + view);
        await().until(() -> browser.is(
                "return document.querySelector('.live.on') !== null && document.querySelector('main h1') !== null"));
        return this;
    }

    static String topic(String topic, String... more) {
        StringBuilder view = new StringBuilder("#/topic/").append(encoded(topic));
        for (String part : more) {
            view.append('/').append(encoded(part));
        }
        return view.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The visible text. */
    String text() {
        return browser.string("return document.body.innerText");
    }

    DashboardPage awaitText(String text) {
        await().untilAsserted(() -> assertThat(text()).contains(text));
        return this;
    }

    DashboardPage awaitNoText(String text) {
        await().untilAsserted(() -> assertThat(text()).doesNotContain(text));
        return this;
    }

    /** Clicks a button or a link with an accessible name. */
    DashboardPage press(String name) {
        await().ignoreExceptions().untilAsserted(() -> {
            WebElement found = browser.run(WebElement.class, BY_NAME, "button, a", name);
            assertThat(found).as("button or link " + name).isNotNull();
            if (!found.isDisplayed()) {
                browser.run("arguments[0].closest('.menu').open = true", found);
            }
            found.click();
        });
        return this;
    }

    boolean has(String name) {
        return browser.run(WebElement.class, BY_NAME, "button, a", name) != null;
    }

    DashboardPage awaitPressable(String name) {
        await().until(() -> has(name));
        return this;
    }

    /** The names of all visible buttons. */
    List<String> buttons() {
        return browser.texts("return [...document.querySelectorAll('button')].filter(each => each.checkVisibility())"
                + ".map(each => each.ariaLabel || each.textContent.trim())");
    }

    /** The text of the dialog that confirms an action. */
    String check() {
        await().until(() -> browser.is("return document.querySelector('dialog').open"));
        return browser.string("return document.querySelector('dialog').innerText");
    }

    DashboardPage goBack() {
        browser.driver().findElement(By.id("confirm-back")).click();
        return awaitNoCheck();
    }

    DashboardPage confirm() {
        browser.driver().findElement(By.id("confirm-go")).click();
        return this;
    }

    DashboardPage awaitNoCheck() {
        await().until(() -> !browser.is("return document.querySelector('dialog').open"));
        return this;
    }

    DashboardPage awaitOutcome(String text) {
        await().untilAsserted(() -> assertThat(outcome()).contains(text));
        return this;
    }

    /** The text of the live region. */
    String outcome() {
        return browser.string("return document.querySelector('[role=status][aria-live=polite]').innerText");
    }

    /** The messages on the console, except those of error responses, which the page shows. */
    List<String> consoleMessages() {
        return browser.console().stream()
                .filter(line -> !line.contains("Failed to load resource: the server responded with a status of"))
                .toList();
    }

    WebElement field(String selector) {
        return browser.driver().findElement(By.cssSelector(selector));
    }
}
