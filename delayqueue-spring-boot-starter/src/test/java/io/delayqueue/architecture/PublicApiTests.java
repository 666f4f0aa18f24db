package io.delayqueue.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.delayqueue.Internal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What applications may use, in all modules that are published. {@code public-types.txt} lists it. */
class PublicApiTests {

    private static final Path LIST = Path.of("src/test/resources/public-types.txt");

    private static final Path POM = Path.of("../pom.xml");
    private static final Pattern COMPARED = Pattern.compile("<include>(io\\.delayqueue[^<]*)</include>");

    /** All classes of the published modules. */
    static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("delayqueue-test-support"))
            .importPackages("io.delayqueue");

    private static final PublicApi PRODUCT = new PublicApi(CLASSES);

    @Test
    void thePublicTypesAreThoseOfTheList() throws IOException {
        List<String> listed = Files.readAllLines(LIST);

        assertThat(PRODUCT.types()).as("""
                        public types that are not @Internal, as listed in %s.
                        A type that applications are not meant to use is package-private, or in an @Internal package.
                        What they may use is a decision: add or remove its line, keep the order, say why in the commit.\
                        """, LIST).containsExactlyElementsOf(listed);
    }

    @Test
    void thePackagesThatAreComparedWithTheLastReleaseAreThoseOfTheApi() throws IOException {
        assertThat(COMPARED.matcher(Files.readString(POM)).results().map(include -> include.group(1)))
                .as("the includes of japicmp in %s", POM)
                .containsExactlyElementsOf(PRODUCT.packages());
    }

    @Test
    void theApiIsSmall() {
        assertThat(PRODUCT.types()).hasSizeLessThan(150);
    }

    @Test
    void aPackageWithoutPublicTypesIsInternal() {
        assertThat(PRODUCT.packages())
                .as("packages that are not @Internal")
                .allSatisfy(name -> assertThat(PRODUCT.types())
                        .as("public types of %s", name)
                        .anyMatch(type -> type.startsWith(name + ".") && type.lastIndexOf('.') == name.length()));
    }

    @Test
    void noSignatureOfTheApiNamesAnInternalType() {
        assertThat(PRODUCT.leaks()).isEmpty();
    }

    @Test
    void allModulesAreSeen() {
        assertThat(PRODUCT.types())
                .contains(
                        Internal.class.getName(),
                        "io.delayqueue.autoconfigure.DelayQueueAutoConfiguration",
                        "io.delayqueue.autoconfigure.http.DelayQueueHttpAutoConfiguration",
                        "io.delayqueue.forward.Forwarder",
                        "io.delayqueue.test.DelayQueueHarness",
                        "io.delayqueue.test.redis.FaultProxy");
    }
}
