package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;
import org.springframework.test.context.TestPropertySource;

/** All actions are possible with the keyboard, and the focus is always visible. */
@Tag("long")
@Tag("browser")
@TestPropertySource(properties = "delayqueue.namespace=dashboard-keyboard")
class DashboardKeyboardTests extends DashboardTest {

    /** Maximum number of presses of the tab key until an element has the focus. */
    private static final int MAX_TABS = 60;

    @Test
    void messageIsCancelledByKeysOnly() {
        String id = queue.send(LONELY, "text", Duration.ofHours(1)).id();
        page.open("").awaitPressable(LONELY);

        tabTo("Skip to the content");
        type(Keys.ENTER);
        assertThat(focused()).isEqualTo("content");
        tabTo(LONELY);
        type(Keys.ENTER);
        page.awaitText("Coming up");
        assertThat(focused()).isEqualTo("heading");
        page.awaitPressable("Cancel message " + id);
        openMenuAndTabTo(id);
        type(Keys.ESCAPE);
        assertThat(focused()).isEqualTo("Actions for message " + id);
        openMenuAndTabTo(id);
        type(Keys.SPACE);
        assertThat(page.check()).contains(id);
        assertThat(focused()).isEqualTo("Go back");
        type(Keys.ESCAPE);
        page.awaitNoCheck();
        assertThat(focused()).isEqualTo("Actions for message " + id);
        openMenuAndTabTo(id);
        type(Keys.ENTER);
        page.check();
        tabTo("Cancel the message");
        type(Keys.ENTER);

        page.awaitOutcome(id + " is cancelled.").awaitNoText(id + "\n");
        assertThat(queue.find(LONELY, id)).isEmpty();
        // the row was removed, and the focus is on an element near it
        assertThat(focused()).isEqualTo("content");
        tabTo("Dismiss");
        type(Keys.ENTER);
        assertThat(page.outcome()).isEmpty();
    }

    private void openMenuAndTabTo(String id) {
        tabTo("Actions for message " + id);
        type(Keys.ENTER);
        tabTo("Cancel message " + id);
    }

    @Test
    void shortcutsNavigate() {
        queue.send(LONELY, "text", Duration.ofHours(1));
        page.open(topic(LONELY, "scheduled")).awaitPressable("Pause everywhere");
        press("1");
        page.awaitText("No message is ready.");
        press("t");
        page.awaitPressable(LONELY);
        press("j");
        assertThat(browser.is("return document.activeElement.closest('tbody') !== null"))
                .isTrue();
        press("u");
        page.awaitText("Resume updates");
        press("u");
        page.awaitText("Pause updates");
        press("f");
        press("t");
        assertThat(browser.string("return document.getElementById('find-id').value"))
                .isEqualTo("t");
    }

    @Test
    void shortcutsAreListedAndCanBeDisabled() {
        page.open("").awaitText("Pause updates");
        press("?");
        page.awaitText("Next row");
        page.field("#help input").click();
        type(Keys.ESCAPE);
        press("u");
        press("?");
        assertThat(browser.is("return document.getElementById('help').open")).isFalse();
        assertThat(page.text()).contains("Pause updates");
        page.press("Keyboard shortcuts");
        page.field("#help input").click();
        type(Keys.ESCAPE);
        press("u");
        page.awaitText("Resume updates");
    }

    @Test
    void eachKeyOfTheHelpDoesSomething() {
        String id = queue.send(LONELY, "text", Duration.ofHours(1)).id();
        for (String key : keysOfTheHelp()) {
            page.open(topic(LONELY)).awaitPressable(id);
            String before = visibleState();
            press(key);
            await().untilAsserted(
                            () -> assertThat(visibleState()).as("after " + key).isNotEqualTo(before));
        }
    }

    private List<String> keysOfTheHelp() {
        page.open("").press("Keyboard shortcuts");
        List<String> keys =
                browser.texts("return [...document.querySelectorAll('#help kbd')].map((each) => each.innerText)");
        assertThat(keys).isNotEmpty().allMatch(key -> key.length() == 1);
        return keys;
    }

    /** What a key may change: the address, the focus, the open dialog, and whether updates are paused. */
    private String visibleState() {
        return browser.string(
                "return [location.hash, document.activeElement.id, document.activeElement.href,"
                        + " document.querySelector('dialog[open]') !== null, document.getElementById('pulse').innerText].join(' ')");
    }

    private void press(String key) {
        new Actions(browser.driver()).sendKeys(key).perform();
    }

    @Test
    void histogramIsReadByArrowKeys() {
        queue.send(LONELY, "text", Duration.ofMinutes(30));
        page.open(topic(LONELY)).awaitText("within the next hour");
        tabTo("Messages that become due within the next hour. Select a bar with the arrow keys.");
        assertThat(role()).isEqualTo("slider");
        type(Keys.ARROW_RIGHT);
        assertThat(said()).contains("0 messages");
        for (int bar = 1; bar < 40 && said().endsWith("0 messages"); bar++) {
            type(Keys.ARROW_RIGHT);
        }
        assertThat(said()).endsWith("1 message");
    }

    @Test
    void eachFocusableElementHasANameAndAVisibleFocus() {
        queue.send(LONELY, "text", Duration.ofHours(1));
        page.open(topic(LONELY, "scheduled")).awaitPressable("Pause everywhere");
        int stops = 0;
        do {
            tab();
            stops++;
            assertThat(name()).as("stop " + stops + " in " + page.text()).isNotBlank();
            assertThat(browser.is("const style = getComputedStyle(document.activeElement);"
                            + "return document.activeElement === document.body"
                            + " || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1)"))
                    .as(name() + " shows that it has the focus")
                    .isTrue();
        } while (stops < MAX_TABS && !"body".equals(focused()));
        assertThat(stops).isBetween(10, MAX_TABS);
    }

    private String said() {
        return browser.string("return document.activeElement.ariaValueText");
    }

    private String role() {
        return browser.string("return document.activeElement.role");
    }

    private void tabTo(String name) {
        for (int presses = 0; presses < MAX_TABS; presses++) {
            if (focused().equals(name)) {
                return;
            }
            tab();
        }
        fail("The tab key doesn't lead to " + name);
    }

    private void tab() {
        type(Keys.TAB);
    }

    private void type(Keys key) {
        new Actions(browser.driver()).sendKeys(key).perform();
    }

    /** The name of the element with the focus, or its id if it has no name. */
    private String focused() {
        return browser.string("const at = document.activeElement; return at === document.body ? 'body'"
                + " : at.id === 'content' || at.id === 'heading' ? at.id : at.ariaLabel || at.textContent.trim()");
    }

    private String name() {
        return browser.string("const at = document.activeElement; return at.ariaLabel || at.innerText"
                + " || (at.labels && at.labels[0] && at.labels[0].innerText) || ''");
    }
}
