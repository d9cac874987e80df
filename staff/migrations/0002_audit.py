"""The audit is append-only: the database itself refuses to change or delete what staff have done."""

from django.db import migrations

REFUSE = """
    CREATE FUNCTION staff_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the audit is append-only';
    END
    $$;
    CREATE TRIGGER staff_audit_is_append_only BEFORE UPDATE OR DELETE ON staff_staffaction
        FOR EACH ROW EXECUTE FUNCTION staff_refuse_change();
"""
ALLOW = """
    DROP TRIGGER staff_audit_is_append_only ON staff_staffaction;
    DROP FUNCTION staff_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("staff", "0001_staff")]
    operations = [migrations.RunSQL(REFUSE, ALLOW)]
