"""Several people at once: what one chooses and has not audited yet is nobody else's business."""

from __future__ import annotations

from tests.pages.conftest import Open, assert_nothing_technical, shown


def test_people_do_not_see_each_others_unsaved_choices(open_at: Open) -> None:
    ann, bob = open_at(), open_at()
    ann.button(key="open-student").click().run()
    ann.toggle(key="data-grades-student").set_value(True).run()
    assert "No data chosen yet" in shown(bob.run())
    bob.button(key="open-truth").click().run()
    bob.number_input(key="data-rows-truth").set_value(700).run()
    for app, own, other in ((ann, "Student Performance", "Known truth"), (bob, "Known truth", "Student Performance")):
        app.run()
        assert_nothing_technical(app)
        said = "\n".join(str(element.value) for element in app.sidebar.markdown)
        assert own in said
        assert other not in said
    assert ann.session_state["draft"]["options"]["grades"] is True
    assert bob.session_state["draft"]["options"]["rows"] == 700
    ann.switch_page("pages/train.py").run()
    assert "Student Performance" in shown(ann)
    assert "Known truth" not in shown(ann)
    assert "No data chosen yet" in shown(open_at())
