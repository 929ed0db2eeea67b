"""A link brings a page's state back whole, and links within the page take the reader along."""

from __future__ import annotations

from itertools import product

from playwright.sync_api import Page

from tests.support.page.site import with_inputs

VALUES = "[...document.querySelectorAll('#controls :is(input, select)')].map(one => one.value)"
#: priced everywhere, and in some regions
INSTANCES = ("m7g.large", "m8g.large", "m9g.large")
REGIONS = ("us-east-1", "ap-southeast-1", "eu-west-1")
COMMITMENTS = ("on-demand", "1y-standard", "3y-convertible")
#: what no page writes
NO_NUMBERS = ("%20", "0x10", "", "-0", "+5", "5%20", "1_000", "Infinity")


def go(page: Page, hash: str) -> str:
    """Sets the hash; what the page says of the link then."""
    page.evaluate(
        "hash => new Promise(done => { addEventListener('hashchange', done, {once: true});"
        " location.hash = hash; })",
        hash,
    )
    return page.locator("#yours-link").inner_text()


def test_a_state_that_the_controls_make_is_brought_back_by_its_link(opened):
    page, other = opened(), opened()
    unpriced = 0
    for instance, region, commitment in product(INSTANCES, REGIONS, COMMITMENTS):
        page.locator("#reset").click()
        page.locator("#control-instance").select_option(instance)
        page.locator("#control-region").select_option(region)
        page.evaluate(
            "value => { const one = document.getElementById('control-commitment'); one.value = value;"
            " one.dispatchEvent(new Event('change')); }",
            commitment,
        )
        unpriced += "(no price here)" in page.locator("#control-instance").inner_text()
        hash = page.evaluate("location.hash")
        if not hash:
            continue
        assert go(other, hash) == ""
        assert other.evaluate(VALUES) == page.evaluate(VALUES), hash
        for part in ("#yours-verdict", "#yours-tables", "#yours-settings"):
            assert other.locator(part).inner_text() == page.locator(part).inner_text()
        go(other, "#v1&traffic=7")
    assert unpriced


def test_an_instance_without_a_price_under_the_pages_own_commitment_comes_by_link(opened, site):
    page = opened(with_inputs(site, "committed.html", commitment="1y-standard"))
    for hash in (
        "#v1&instance=m9g.large&commitment=on-demand",
        "#v1&commitment=on-demand&instance=m9g.large",
    ):
        assert go(page, hash) == ""
        assert page.locator("#control-instance").input_value() == "m9g.large"


def test_what_no_page_writes_is_no_number_of_a_link(opened):
    page = opened()
    for name, text in product(("hour_rate", "traffic", "message_bytes"), NO_NUMBERS):
        said = go(page, f"#v1&{name}={text}")
        assert said.startswith(f"The link is damaged ({name})"), (name, text)
        assert go(page, "#v1&traffic=2.5e-1&hour_rate=1e2") == ""
    assert page.locator("#yours-settings").inner_text() == (
        "Set here: Traffic 0.25 messages a second, mean; Price of an hour $100."
    )


def test_what_is_copied_links_to_what_is_shown_whatever_the_address_says(opened):
    page = opened(hash="#v0&traffic=5")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def copied(button: str) -> str:
        page.locator("#yours-done").evaluate("one => one.textContent = ''")
        page.locator(f"#{button}").click()
        page.locator("#yours-done", has_text="opied").wait_for()
        return page.evaluate("navigator.clipboard.readText()")

    assert copied("copy-link").endswith("/index.html")
    assert copied("copy-text").endswith("/index.html")
    page.locator("#control-traffic").fill("7")
    page.evaluate("location.hash = '#ledger'")
    assert copied("copy-link").endswith("/index.html#v1&traffic=7")
    assert copied("copy-text").endswith("/index.html#v1&traffic=7")


def test_a_browser_that_takes_no_more_addresses_for_now_gets_the_last_one_later(opened):
    page = opened()
    page.evaluate(
        """() => {
            const real = history.replaceState;
            history.replaceState = () => { throw new DOMException('full'); };
            window.relent = () => { history.replaceState = real; };
        }"""
    )
    for rate in ("7", "71", "712"):
        page.locator("#control-traffic").fill(rate)
    assert "(712 a second)" in page.locator("#yours-verdict").inner_text()
    page.evaluate("relent()")
    page.wait_for_url("**/index.html#v1&traffic=712")


def test_a_link_within_the_page_takes_the_focus_along(opened):
    page = opened(hash="#v1&traffic=7")
    page.locator("nav a", has_text="Glossary").press("Enter")
    assert page.evaluate("document.activeElement.id") == "glossary"
    page.locator(".asks a").first.click()
    assert page.evaluate("document.activeElement.id") == "asked-sure"
    assert page.evaluate("location.hash") == "#v1&traffic=7"
    assert go(page, "#ledger") == ""
    assert page.locator("#table-ledger").is_visible()


def test_a_link_that_is_opened_in_another_tab_is_the_browsers(opened):
    page = opened()
    taken = """link => ['ctrlKey', 'metaKey', 'shiftKey', 'altKey'].map(key => {
        const click = new MouseEvent('click', {bubbles: true, cancelable: true, [key]: true});
        // kept from the browser, which would open it, once the page has had it
        const last = event => { click.left = !event.defaultPrevented; event.preventDefault(); };
        addEventListener('click', last, {once: true});
        link.dispatchEvent(click);
        return click.left;
    })"""
    assert page.locator("nav a").first.evaluate(taken) == [True] * 4


def test_the_page_glides_only_where_motion_is_welcome(opened):
    page = opened()
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(behaviour) == "auto"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(behaviour) == "smooth"
