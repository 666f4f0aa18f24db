package io.delayqueue.autoconfigure.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.core.io.support.SpringFactoriesLoader;

class BootVersionCheckTests {

    private static boolean[] match(String version) {
        return new BootVersionCheck(version).match(new String[] {"a", "b"}, mock(AutoConfigurationMetadata.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.5.7", "4.0.0", "4.0.0-RC1", "2.7.18"})
    void olderSpringBootIsRejectedByName(String version) {
        assertThatExceptionOfType(StartFailedException.class)
                .isThrownBy(() -> match(version))
                .withMessage("The delay queue requires Spring Boot 4.1, found " + version + ".");
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1.0", "4.1.1-SNAPSHOT", "4.2.0-M1", "4.10.0", "5.0.0", "unknown"})
    void otherVersionsExcludeNothing(String version) {
        assertThat(match(version)).containsExactly(true, true);
    }

    @Test
    void theCheckRunsBeforeAutoConfigurationsAreLoaded() {
        assertThat(SpringFactoriesLoader.loadFactories(AutoConfigurationImportFilter.class, null))
                .hasAtLeastOneElementOfType(BootVersionCheck.class);
    }
}
