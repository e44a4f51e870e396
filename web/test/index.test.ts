import "./arrange.test";
import "./budget.test";
import "./find.test";
import "./reading.test";
import "./scope.test";
import "./sheet.test";
import "./trace.test";
