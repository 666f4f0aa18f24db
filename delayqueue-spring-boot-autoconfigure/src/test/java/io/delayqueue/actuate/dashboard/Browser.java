package io.delayqueue.actuate.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.springframework.util.FileSystemUtils;

/** A headless Chromium, driven by Debian's driver; Selenium would look for others on the network. */
final class Browser implements AutoCloseable {

    static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    static final Path CHROMEDRIVER = Path.of("/usr/bin/chromedriver");

    private final ChromeDriver driver;
    private final Path profile;

    private Browser(ChromeDriver driver, Path profile) {
        this.driver = driver;
        this.profile = profile;
    }

    static boolean isInstalled() {
        return Files.isExecutable(CHROMIUM) && Files.isExecutable(CHROMEDRIVER);
    }

    static Browser start() {
        try {
            Path profile = Files.createTempDirectory("dashboard-browser");
            ChromeDriverService service = new ChromeDriverService.Builder()
                    .usingDriverExecutable(CHROMEDRIVER.toFile())
                    .usingAnyFreePort()
                    .build();
            return new Browser(new ChromeDriver(service, options(profile)), profile);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ChromeOptions options(Path profile) {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--window-size=1280,900",
                "--user-data-dir=" + profile);
        options.setCapability("goog:loggingPrefs", logs);
        return options;
    }

    ChromeDriver driver() {
        return driver;
    }

    /** Opens an address as if it was typed into a new tab: nothing of the page before is left. */
    void open(String address) {
        driver.get("about:blank");
        driver.get(address);
    }

    /** Opens pages in which JavaScript runs before their own. */
    void openWith(String script, Runnable opening) {
        Object identifier = driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script))
                .get("identifier");
        try {
            opening.run();
        } finally {
            driver.executeCdpCommand(
                    "Page.removeScriptToEvaluateOnNewDocument",
                    Map.of("identifier", Objects.requireNonNull(identifier)));
        }
    }

    /** Runs JavaScript in the page; a content security policy doesn't hinder it. */
    void run(String script, Object... arguments) {
        driver.executeScript(script, arguments);
    }

    /** Runs JavaScript that answers something, or null. */
    <T> @Nullable T run(Class<T> type, String script, Object... arguments) {
        return type.cast(driver.executeScript(script, arguments));
    }

    /** Runs JavaScript that answers a condition. */
    boolean is(String script, Object... arguments) {
        return Boolean.TRUE.equals(run(Boolean.class, script, arguments));
    }

    /** Runs JavaScript that answers a text. */
    String string(String script, Object... arguments) {
        return String.valueOf(driver.executeScript(script, arguments));
    }

    /** Runs JavaScript that answers texts. */
    List<String> texts(String script, Object... arguments) {
        return strings(driver.executeScript(script, arguments));
    }

    private static List<String> strings(@Nullable Object found) {
        return ((List<?>) Objects.requireNonNull(found))
                .stream().map(String.class::cast).toList();
    }

    /** Sets the size of the page and what its user prefers, such as {@code prefers-color-scheme: dark}. */
    void emulate(int width, int height, Map<String, String> preferences) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        List<Map<String, String>> features = preferences.entrySet().stream()
                .map(each -> Map.of("name", each.getKey(), "value", each.getValue()))
                .toList();
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", features));
    }

    /** Opens a second tab before the first one, which is hidden then; gives what ends that. */
    AutoCloseable hideBehindAnotherTab() {
        String first = driver.getWindowHandle();
        driver.switchTo().newWindow(WindowType.TAB);
        return () -> {
            driver.close();
            driver.switchTo().window(first);
        };
    }

    /** What the console said since it was last asked: errors of scripts, violations of the policy, failed requests. */
    List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .toList();
    }

    void screenshot(Path file) {
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        driver.quit();
        FileSystemUtils.deleteRecursively(profile);
    }
}
