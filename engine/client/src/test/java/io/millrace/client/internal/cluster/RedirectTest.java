// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.AddressMap;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.AnnouncedAddresses;
import io.millrace.resp.Reply;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectTest {

    private static final RedisUri.Tcp ASKED = new RedisUri.Tcp("10.0.0.7", 7_000);

    private static @Nullable Redirect read(String message) {
        return Redirect.of(new Reply.ErrorReply(message), ASKED, new AnnouncedAddresses(AddressMap.NONE));
    }

    @Test
    void movedNamesTheSlotAndTheNewOwner() {
        assertThat(read("MOVED 3999 127.0.0.1:6381"))
                .isEqualTo(new Redirect(false, 3_999, new RedisUri.Tcp("127.0.0.1", 6_381)));
    }

    @Test
    void askNamesTheSlotAndTheNodeOfThisCommand() {
        assertThat(read("ASK 0 node-2.example.com:65535"))
                .isEqualTo(new Redirect(true, 0, new RedisUri.Tcp("node-2.example.com", 65_535)));
    }

    @Test
    void redirectWithoutHostNamesTheHostThatWasAsked() {
        assertThat(read("MOVED 16383 :6381"))
                .isEqualTo(new Redirect(false, 16_383, new RedisUri.Tcp("10.0.0.7", 6_381)));
    }

    @Test
    void hostMayBeAnAddressOfVersion6WithoutBrackets() {
        assertThat(read("MOVED 1 ::1:6381")).isEqualTo(new Redirect(false, 1, new RedisUri.Tcp("::1", 6_381)));
        assertThat(read("ASK 1 fe80::1%eth0:1")).isEqualTo(new Redirect(true, 1, new RedisUri.Tcp("fe80::1%eth0", 1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "MOVED",
                "MOVED ",
                "MOVED 1",
                "MOVED 1 ",
                "MOVED 1 127.0.0.1",
                "MOVED 1 127.0.0.1:",
                "MOVED 1 127.0.0.1:port",
                "MOVED 1 127.0.0.1:0",
                "MOVED 1 127.0.0.1:65536",
                "MOVED 1 127.0.0.1:99999999999",
                "MOVED 1 127.0.0.1:-1",
                "MOVED 1 127.0.0.1:6379 extra",
                "MOVED  1 127.0.0.1:6379",
                "MOVED 1  127.0.0.1:6379",
                "MOVED -1 127.0.0.1:6379",
                "MOVED 16384 127.0.0.1:6379",
                "MOVED 99999 127.0.0.1:6379",
                "MOVED 99999999999999999999 127.0.0.1:6379",
                "MOVED slot 127.0.0.1:6379",
                "MOVED 1 ?:6379",
                "MOVED \u0661 127.0.0.1:6379",
                "moved 1 127.0.0.1:6379",
                "MOVEDX 1 127.0.0.1:6379",
                "ASKING 1 127.0.0.1:6379",
                "ASK 1",
                "ERR MOVED 1 127.0.0.1:6379",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN Hash slot not served",
                "CROSSSLOT Keys in request don't hash to the same slot"
            })
    void otherErrorsAreNoRedirects(String message) {
        assertThat(read(message)).isNull();
    }

    @Test
    void hostOfSpacesIsTheHostThatWasAsked() {
        for (String space : List.of("\u001c", "\u001f", "\u2003", "\u3000\u2003")) {
            assertThat(read("ASK 1 " + space + ":6379"))
                    .isEqualTo(new Redirect(true, 1, new RedisUri.Tcp("10.0.0.7", 6_379)));
        }
    }

    @Test
    void anyTextIsARedirectToAUsableAddressOrNone() {
        Random random = new Random(50);
        List<String> parts = List.of(
                "MOVED",
                "ASK",
                " ",
                " ",
                " ",
                ":",
                ":",
                "1",
                "16383",
                "16384",
                "6379",
                "65536",
                "127.0.0.1",
                "::1",
                "?",
                "-",
                "host",
                "\u2003",
                "\u001d",
                "\t",
                "\r",
                "\n",
                "\0",
                "\u00e4",
                "\ud83d",
                "99999999999999999999");

        for (int i = 0; i < 200_000; i++) {
            StringBuilder message = new StringBuilder(random.nextBoolean() ? "MOVED 1 " : "");
            for (int left = random.nextInt(8); left > 0; left--) {
                message.append(parts.get(random.nextInt(parts.size())));
            }

            Redirect redirect = read(message.toString());

            if (redirect != null) {
                assertThat(redirect.slot()).isBetween(0, 16_383);
                assertThat(redirect.address().port()).isBetween(1, 65_535);
                assertThat(redirect.address().host()).isNotBlank();
            }
        }
    }
}
