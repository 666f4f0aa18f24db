package io.delayqueue.actuate.dashboard;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Tests that run functions of the page's scripts. */
@Tag("long")
@Tag("browser")
abstract class DashboardScriptTest {

    static DashboardScripts scripts;

    @BeforeAll
    static void copyScripts(@TempDir Path directory) throws IOException {
        scripts = new DashboardScripts(directory);
    }
}
