package io.delayqueue.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The product keeps the layers and the bans. */
class ArchitectureTests {

    private static final JavaClasses CLASSES = PublicApiTests.CLASSES.that(DescribedPredicate.describe(
            "are no test support", (JavaClass type) -> !type.getPackageName().startsWith("io.delayqueue.test")));

    @ParameterizedTest
    @MethodSource("rules")
    void theProductKeeps(ArchRule rule) {
        rule.check(CLASSES);
    }

    static List<ArchRule> rules() {
        return ArchitectureRules.all();
    }

    @Test
    void theProductIsSeenWithoutItsTests() {
        assertThat(CLASSES)
                .extracting(JavaClass::getName)
                .contains("io.delayqueue.package-info")
                .doesNotContain(ArchitectureTests.class.getName(), "io.delayqueue.test.package-info");
    }

    /** This package belongs to no layer. */
    static final class Offence {

        static StringRedisTemplate redis = new StringRedisTemplate();
    }

    @Test
    void anOffenceIsNamed() {
        JavaClasses offence = new ClassFileImporter().importClasses(Offence.class);

        for (ArchRule rule : List.of(
                ArchitectureRules.packagesBelongToALayer(),
                ArchitectureRules.redisClientsStayInRedis(),
                ArchitectureRules.staticsAreFinal())) {
            assertThat(rule.evaluate(offence).getFailureReport().toString()).contains(Offence.class.getName());
        }
    }
}
