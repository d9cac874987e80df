"""The roles (`staff.roles`): groups and their permissions."""

from django.db import migrations

from staff.services.roles import create_roles


def create(apps, schema_editor):
    """Make the groups as this version knows them."""
    create_roles(
        group=apps.get_model("auth", "Group"),
        permission=apps.get_model("auth", "Permission"),
        content_type=apps.get_model("contenttypes", "ContentType"),
    )


class Migration(migrations.Migration):
    dependencies = [
        ("staff", "0002_audit"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
