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

/** A headless Chromium with the driver of Debian. Selenium would otherwise search the network for a driver. */
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

    /** Opens an address as in a new tab, without the state of the previous page. */
    void open(String address) {
        driver.get("about:blank");
        driver.get(address);
    }

    /** Opens pages in which a script runs before their own scripts. */
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

    /** Runs JavaScript in the page, regardless of its content security policy. */
    void run(String script, Object... arguments) {
        driver.executeScript(script, arguments);
    }

    /** Runs JavaScript that returns a value or null. */
    <T> @Nullable T run(Class<T> type, String script, Object... arguments) {
        return type.cast(driver.executeScript(script, arguments));
    }

    /** Runs JavaScript that returns a boolean. */
    boolean is(String script, Object... arguments) {
        return Boolean.TRUE.equals(run(Boolean.class, script, arguments));
    }

    /** Runs JavaScript that returns a string. */
    String string(String script, Object... arguments) {
        return String.valueOf(driver.executeScript(script, arguments));
    }

    /** Runs JavaScript that returns strings. */
    List<String> texts(String script, Object... arguments) {
        return strings(driver.executeScript(script, arguments));
    }

    private static List<String> strings(@Nullable Object found) {
        return ((List<?>) Objects.requireNonNull(found))
                .stream().map(String.class::cast).toList();
    }

    /** Sets the size of the page and the preferences of its user, such as {@code prefers-color-scheme: dark}. */
    void emulate(int width, int height, Map<String, String> preferences) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        List<Map<String, String>> features = preferences.entrySet().stream()
                .map(each -> Map.of("name", each.getKey(), "value", each.getValue()))
                .toList();
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", features));
    }

    /** Opens a second tab, which hides the first one. The result closes the second tab. */
    AutoCloseable hideBehindAnotherTab() {
        String first = driver.getWindowHandle();
        driver.switchTo().newWindow(WindowType.TAB);
        return () -> {
            driver.close();
            driver.switchTo().window(first);
        };
    }

    /** The messages on the console since the last call: errors of scripts, violations of the policy, failed requests. */
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
