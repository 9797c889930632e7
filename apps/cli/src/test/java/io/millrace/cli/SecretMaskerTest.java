// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretMaskerTest {

    private final SecretMasker secretMasker = new SecretMasker();

    @ParameterizedTest
    @CsvSource({
        "redis://me:hunter2@host:6379/0, hunter2",
        "rediss://:hunter2@host, hunter2",
        "redis://hunter2@host, hunter2",
        "valkey://me:hunter2@host, hunter2",
        "valkeys://:hunter2@host, hunter2",
        "unix://me:hunter2@/run/redis.sock, hunter2",
        "redis://me:p%40ss@host, p@ss",
        "redis://me:p%40ss@host, p%40ss",
        "redis://me:hun@ter2@host, hun@ter2",
        "jdbc:postgresql://db/shop?user=me&password=hunter2&ssl=true, hunter2",
        "jdbc:mysql://me:hunter2@db:3306/shop, hunter2",
        "jdbc:h2:mem:x;PASSWORD=hunter2;MODE=Oracle, hunter2",
    })
    void passwordOfAUriIsHidden(String uri, String password) {
        secretMasker.addFrom(uri);

        assertThat(secretMasker.mask("cannot reach " + password + " there")).isEqualTo("cannot reach *** there");
    }

    @Test
    void longerSecretIsHiddenBeforeAShorterSecretInsideIt() {
        secretMasker.add("hunter");
        secretMasker.add("hunter2-and-more");

        assertThat(secretMasker.mask("hunter2-and-more, hunter")).isEqualTo("***, ***");
    }

    @Test
    void textWithoutASecretIsUnchanged() {
        secretMasker.add("hunter2");
        secretMasker.addFrom("redis://host:6379");
        secretMasker.addFrom("jdbc:postgresql://host:5432/shop?ssl=true");

        String text = "redis://host:6379 and jdbc:postgresql://host:5432/shop?ssl=true are not there";
        assertThat(secretMasker.mask(text)).isEqualTo(text);
    }
}
